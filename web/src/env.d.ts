/** The production API host, baked in by the build; empty means the page's own origin. */
declare const __API_HOST__: string;
