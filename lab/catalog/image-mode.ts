/** Where images come from. */

export type ImageMode = 'auto' | 'hub' | 'local';
