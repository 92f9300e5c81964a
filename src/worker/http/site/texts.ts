import type { Language } from '../request/language.ts';
import { en, type Texts } from './texts/en.ts';
import { et } from './texts/et.ts';

export type { Texts };

export const texts: Record<Language, Texts> = { et, en };
