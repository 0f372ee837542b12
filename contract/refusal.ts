type Issue = { path: string; message: string };
export type Refusal = Error & { statusCode: number; issues?: Issue[]; retryAfter?: number; codeRequired?: true };

/** An answer other than success, written for the operator. */
export function refusal(
  statusCode: number,
  message: string,
  extra: Pick<Refusal, "issues" | "retryAfter" | "codeRequired"> = {},
): Refusal {
  return Object.assign(new Error(message), { statusCode, ...extra });
}

/** 400 for one field, by its path. */
export const badInput = (path: string, message: string) => refusal(400, message, { issues: [{ path, message }] });
