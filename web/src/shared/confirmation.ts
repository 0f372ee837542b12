type Ask = () => Promise<boolean>;

let ask: Ask = async () => false;
let asking: Promise<boolean> | undefined;

/** Says who asks, as long as it is there. Returns how to stop. */
export function askWith(dialog: Ask): () => void {
  ask = dialog;
  return () => {
    ask = async () => false;
  };
}

/** Asks the operator to show that it is them. Several calls at once ask once. False if they would rather not. */
export function confirmItsYou(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}
