/** The settings that are shown, and the words for their origins. */
import type { Setting } from '../../api/status';

export function shownSettings(
  all: readonly Setting[],
  find: string,
  changed: boolean,
): readonly Setting[] {
  const words = find.toLowerCase().split(/\s+/);
  return all.filter((setting) => {
    if (changed && setting.origin === 'default') return false;
    const text = `${setting.key} ${setting.value} ${setting.about} ${setting.place}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function originText({ origin, place }: Pick<Setting, 'origin' | 'place'>): string {
  switch (origin) {
    case 'default':
      return 'as shipped';
    case 'file':
      return `settings file, ${place}`;
    case 'environment':
    case 'argument':
      return place;
  }
}
