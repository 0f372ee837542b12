import type { SecondQuestion } from "./AskAgainDialog.tsx";
import { ApiError } from "./api.ts";
import { useDialog } from "./dialogs.tsx";
import { lazyPart } from "./lazyPart.tsx";

const AskAgain = lazyPart(() => import("./AskAgainDialog.tsx").then((file) => file.AskAgainDialog));

/** For a form, before it sends something unusual: asks once more, and ends the call where the answer is no. */
export function useAskAgain(): (question: SecondQuestion) => Promise<void> {
  const open = useDialog();
  return (question) =>
    new Promise((goOn, stop) => {
      if (question.warnings.length === 0) return goOn();
      const answer = (isYes: boolean) => (isYes ? goOn() : stop(new ApiError(400, "Nothing was saved")));
      open((close) => (
        <AskAgain
          question={question}
          onAnswer={(isYes) => {
            close();
            answer(isYes);
          }}
        />
      ));
    });
}
