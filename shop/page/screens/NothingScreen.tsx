import { IconMapPinOff } from "@tabler/icons-react";
import { Link } from "react-router";
import { Empty } from "../parts/States.tsx";
import { useTitle } from "../useTitle.ts";

export function NothingScreen() {
  useTitle("Nothing here");
  return (
    <>
      <h1>There is nothing here</h1>
      <Empty icon={<IconMapPinOff size={36} stroke={1.5} aria-hidden />} title="This address leads nowhere">
        <Link className="button" to="/">
          To the start
        </Link>
      </Empty>
    </>
  );
}
