/** The documents of the help, with their addresses. */
import { address } from '../ui/open';
import type { GuideState } from './helpParams';

/** The documents that the console has, with their titles. */
export const documents = [
  { id: 'console', title: 'The console' },
  { id: 'query-language', title: 'The query language' },
  { id: 'router', title: 'The router document' },
  { id: 'licences', title: 'Licences' },
] as const;

export type DocumentId = (typeof documents)[number]['id'];

/** A part of a document, by the anchor of its heading; empty for all of it. */
export type GuidePlace = { document: DocumentId; part: string };

/** An unknown document is replaced by the first one. */
export function guidePlace({ document, part }: GuideState): GuidePlace {
  return { document: documents.find(({ id }) => id === document)?.id ?? 'console', part };
}

export function guideAddress({ document, part }: GuidePlace): string {
  return address('/help', { doc: document, ...(part !== '' && { part }) });
}

export type Topic = { title: string; href: string };

/**
 * Pages with a part of their own in the guide to the console, which has the same name as the page.
 */
const described = [
  'Search',
  'Tail',
  'Overview',
  'Senders',
  'Flow',
  'Router',
  'Logspaces',
  'Admin',
  'Send logs',
];

/** The documents about a page, its own first. */
export function topicsOf(page: string): readonly Topic[] {
  const part = described.includes(page) ? page.toLowerCase().replaceAll(' ', '-') : '';
  const title = part === '' ? 'The console' : `About ${page}`;
  return [
    { title, href: guideAddress({ document: 'console', part }) },
    ...(page === 'Router'
      ? [{ title: 'The router document', href: guideAddress({ document: 'router', part: '' }) }]
      : []),
    {
      title: 'The query language',
      href: guideAddress({ document: 'query-language', part: '' }),
    },
    { title: 'The API', href: address('/help/api') },
  ];
}
