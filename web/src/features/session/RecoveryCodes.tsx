import { Button } from "@mantine/core";
import { saveFile } from "../../shared/downloadFile.ts";
import { ShownOnce } from "../../shared/ShownOnce.tsx";
import { useSession } from "../../shared/session.ts";
import classes from "./RecoveryCodes.module.css";

/** Shown once: what stands in for a second step that is not at hand. */
export function RecoveryCodes({ title, codes, onClose }: { title: string; codes: string[]; onClose: () => void }) {
  const { username } = useSession();
  const text = `Footprint recovery codes of ${username}. Each works once.\n\n${codes.join("\n")}\n`;
  return (
    <ShownOnce
      title={title}
      hint="Each of these works once instead of a code, for when your phone or passkey is not at hand. Keep them where you keep your passwords: they are not shown again."
      text={codes.join("\n")}
      tools={
        <Button
          variant="default"
          onClick={() => saveFile(new Blob([text], { type: "text/plain" }), "footprint-recovery-codes.txt")}
        >
          Download
        </Button>
      }
      warning="Copy or download the codes first, then say that you have kept them."
      kept="I have kept them"
      onClose={onClose}
    >
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </ShownOnce>
  );
}
