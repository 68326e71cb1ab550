/** In a file of its own, so that a command can name it without loading the server. */
export const DEFAULT_PORT = 7373;
