let lastTouched = Date.now();
const touch = () => {
  lastTouched = Date.now();
};
for (const event of ["pointerdown", "keydown"]) window.addEventListener(event, touch, { capture: true, passive: true });

/**
 * Nobody has touched the panel for a while, so its own calls must not keep the session alive. Absolute, since the clock
 * may be set back.
 */
export const isUnattended = () => Math.abs(Date.now() - lastTouched) > 5 * 60_000;
