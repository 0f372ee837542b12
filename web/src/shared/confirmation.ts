type Ask = () => Promise<boolean>;

let ask: Ask = async () => false;
let asking: Promise<boolean> | undefined;

/** Registers the dialog that asks. Returns a function that removes it. */
export function askWith(dialog: Ask): () => void {
  ask = dialog;
  return () => {
    ask = async () => false;
  };
}

/** Asks the operator to confirm who they are. Several calls at once ask only once. False if they decline. */
export function confirmItsYou(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}
