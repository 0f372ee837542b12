import { type ComponentProps, type ReactNode, useId } from "react";

type Said = {
  label: string;
  /** A mistake that has to be corrected. */
  fault?: string | undefined;
  /** A possible mistake that may stay. */
  caution?: string | undefined;
  hint?: ReactNode;
  isOptional?: boolean;
  className?: string;
};

type Wired = { id: string; "aria-invalid"?: true; "aria-describedby"?: string };

/** A control with its label and messages. */
function Labelled({
  label,
  fault,
  caution,
  hint,
  isOptional,
  className = "",
  children,
}: Said & { children: (wired: Wired) => ReactNode }) {
  const id = useId();
  const said = [fault && `${id}-fault`, caution && `${id}-caution`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div className={`field ${className}`}>
      <label htmlFor={id}>
        {label} {isOptional && <span className="optional">(optional)</span>}
      </label>
      {children({ id, ...(fault && { "aria-invalid": true as const }), ...(said && { "aria-describedby": said }) })}
      {fault && (
        <span className="fault" id={`${id}-fault`}>
          {fault}
        </span>
      )}
      {caution && (
        <span className="caution" id={`${id}-caution`} role="status">
          {caution}
        </span>
      )}
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

type InputProps = Said & Omit<ComponentProps<"input">, "className"> & { unit?: string; before?: string };

export function Field({ label, fault, caution, hint, isOptional, className, unit, before, ...input }: InputProps) {
  return (
    <Labelled {...{ label, fault, caution, hint, className: className ?? "", isOptional: isOptional ?? false }}>
      {(wired) =>
        unit || before ? (
          <div className={before ? "with-unit before" : "with-unit"}>
            <input className="input" {...input} {...wired} />
            <span aria-hidden>{before ?? unit}</span>
          </div>
        ) : (
          <input className="input" {...input} {...wired} />
        )
      }
    </Labelled>
  );
}

type SelectProps = Said & Omit<ComponentProps<"select">, "className">;

export function Select({ label, fault, caution, hint, isOptional, className, ...select }: SelectProps) {
  return (
    <Labelled {...{ label, fault, caution, hint, className: className ?? "", isOptional: isOptional ?? false }}>
      {(wired) => <select className="input" {...select} {...wired} />}
    </Labelled>
  );
}

type AreaProps = Said & Omit<ComponentProps<"textarea">, "className">;

export function TextArea({ label, fault, caution, hint, isOptional, className, ...area }: AreaProps) {
  return (
    <Labelled {...{ label, fault, caution, hint, className: className ?? "", isOptional: isOptional ?? false }}>
      {(wired) => <textarea className="input" {...area} {...wired} />}
    </Labelled>
  );
}

/** After a refusal: moves the focus to the first mistake, as soon as it is shown. */
export const focusFault = (frames = 60) => {
  requestAnimationFrame(() => {
    const wrong = document.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (!wrong && frames > 0) focusFault(frames - 1);
    (wrong?.querySelector("input") ?? wrong)?.focus();
  });
};
