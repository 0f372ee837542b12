/** The gate in front of the panel listens to this. */
export const recheckEvent = "footprint-recheck";

/** Asks the server again who is signed in, and what they have to do first. */
export const recheckSession = () => void window.dispatchEvent(new Event(recheckEvent));
