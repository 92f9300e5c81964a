import type { Language } from '../request/language.ts';
import { en, type Texts } from './texts/en.ts';
import { et } from './texts/et.ts';

export type { Texts };

/** A missing translation does not compile. */
export const texts: Record<Language, Texts> = { et, en };
