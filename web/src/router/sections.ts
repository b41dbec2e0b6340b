/**
 * The lists of the router document, by their names in addresses. They are in a module of their own
 * because the frame needs only this.
 */

export type Section = 'sources' | 'logspaces' | 'destinations' | 'routes';

export const sections: readonly Section[] = ['sources', 'routes', 'logspaces', 'destinations'];

export function isSection(text: string): text is Section {
  return sections.some((section) => section === text);
}
