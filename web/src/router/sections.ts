/** The lists of the router document. Apart from it, as addresses name them: the frame loads no more than this. */

export type Section = 'sources' | 'logspaces' | 'destinations' | 'routes';

export const sections: readonly Section[] = ['sources', 'routes', 'logspaces', 'destinations'];

export function isSection(text: string): text is Section {
  return sections.some((section) => section === text);
}
