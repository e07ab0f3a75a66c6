import type { Catalogue, Locale } from './catalogue.ts';
import { ENGLISH } from './en.ts';
import { CHINESE } from './zh.ts';

export const CATALOGUES: Readonly<Record<Locale, Catalogue>> = { en: ENGLISH, zh: CHINESE };

export type { Catalogue, Locale, MessageFacts, ThrownKind } from './catalogue.ts';
