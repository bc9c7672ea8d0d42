/**
 * How many threads the process has for file calls and name look-ups, unless
 * the administrator says (docs/adr/0010-hung-file-systems.md). Imported before
 * anything else: the first file call makes them.
 */
process.env['UV_THREADPOOL_SIZE'] ||= '32';
