import { createContext, type ReactNode, useContext, useState } from "react";
import type { Question } from "./ConfirmDialog.tsx";
import { lazyPart } from "./lazyPart.tsx";

const ConfirmDialog = lazyPart(() => import("./ConfirmDialog.tsx").then((file) => file.ConfirmDialog));

const ConfirmContext = createContext<((question: Question) => void) | undefined>(undefined);

/** Asks before something that cannot be undone: `confirm({ … })`. */
export function useConfirm(): (question: Question) => void {
  const confirm = useContext(ConfirmContext);
  if (!confirm) throw new Error("useConfirm outside of ConfirmProvider");
  return confirm;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question>();
  return (
    <ConfirmContext value={setQuestion}>
      {children}
      {question && <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />}
    </ConfirmContext>
  );
}
