import { fedex } from "@footprint/contract/fedex.ts";

/** Lets the operator choose several files, as if they had been dropped. */
export function chooseFiles(use: (files: File[]) => void) {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = fedex.update.upload.types.join(",");
  input.addEventListener("change", () => input.files?.length && use([...input.files]));
  input.click();
}
