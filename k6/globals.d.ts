/** What k6 gives every script and @types/k6 leaves to the DOM's types, which do not hold here. */
declare const console: Record<'debug' | 'info' | 'log' | 'warn' | 'error', (...data: unknown[]) => void>;
