import type { SecondQuestion } from "./AskAgainDialog.tsx";
import { ApiError } from "./api.ts";
import { useDialog } from "./dialogs.tsx";
import { lazyPart } from "./lazyPart.tsx";

const AskAgain = lazyPart(() => import("./AskAgainDialog.tsx").then((file) => file.AskAgainDialog));

/** For a form that is about to send something unusual: asks once more, and cancels the call if the answer is no. */
export function useAskAgain(): (question: SecondQuestion) => Promise<void> {
  const open = useDialog();
  return (question) =>
    new Promise((goOn, stop) => {
      if (question.warnings.length === 0) return goOn();
      const answer = (isYes: boolean) => (isYes ? goOn() : stop(new ApiError(400, "Nothing was saved")));
      const isAsked = open((close) => (
        <AskAgain
          question={question}
          onClose={(isYes = false) => {
            close();
            answer(isYes);
          }}
        />
      ));
      if (!isAsked) answer(false);
    });
}
