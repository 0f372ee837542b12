const percent = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const signed = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1, signDisplay: "exceptZero" });

/** 3.3 %; nothing where it was free. */
export const percentOf = (was: number, is: number) =>
  was === 0 ? "" : `${percent.format((Math.abs(is - was) / was) * 100)} %`;

/** −3.3 % */
export const changeInPercent = (was: number, is: number) =>
  was === 0 ? "–" : `${signed.format(((is - was) / was) * 100).replace("-", "−")} %`;
