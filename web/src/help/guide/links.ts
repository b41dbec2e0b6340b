/** The addresses in the console for links of the documentation. Pure. */
import { type DocumentId, documents, guideAddress } from '../topics';
import { address } from '../../ui/open';

/** `router.md#logspaces` is a part of a document that is here; null for one that is not. */
export function linkOf(to: string, from: DocumentId): string | null {
  if (/^https?:/.test(to)) return to;
  const [, file = '', part = ''] = /^([^#]*)(?:#(.*))?$/.exec(to) ?? [];
  if (file === '') return guideAddress({ document: from, part });
  if (file === 'api.md') return address('/help/api');
  if (file === 'agents.md') return address('/send');
  const document = documents.find(({ id }) => `${id}.md` === file)?.id;
  return document === undefined ? null : guideAddress({ document, part });
}
