/** In its own file, so that commands can use it without loading the server. */
export const DEFAULT_PORT = 7373;
