/** What the catalogue offers at a place of the router document: keys that are not there yet, and a key's choices. Pure. */
import type { Offer, Offers } from '../ui/editor/offers';
import { type Setting, settingsAt } from './fields';
import { type TomlPlace, placeIn } from './tomlPlace';

/** Null where nothing can be offered. */
export function completeToml(text: string, cursor: number): Offers | null {
  const place = placeIn(text, cursor);
  if (place === null) return null;
  const typed = text.slice(place.from, cursor).replace(/^["']/, '');
  const options = optionsAt(place).filter(({ label }) => label.includes(typed));
  return options.length === 0 ? null : { from: place.from, to: place.to, options };
}

function optionsAt(place: TomlPlace): Offer[] {
  const settings = settingsAt(place.section, place.kind);
  if (place.part === 'key') return keysAt(settings, place);
  return choicesOf(settings.find(({ key }) => key === place.key));
}

function keysAt(settings: readonly Setting[], place: TomlPlace & { part: 'key' }): Offer[] {
  const before = place.table === '' ? '' : `${place.table}.`;
  return settings
    .filter(({ key }) => key.startsWith(before) && !place.keys.has(key))
    .map((setting) => {
      const label = setting.key.slice(before.length);
      return {
        label,
        insert: place.hasValue ? label : `${label} = `,
        detail: setting.help,
        leadsOn: !place.hasValue && choicesOf(setting).length > 0,
      };
    });
}

function choicesOf(setting: Setting | undefined): Offer[] {
  const offer = (label: string, insert: string) => ({
    label,
    insert,
    detail: label === setting?.default ? 'default' : '',
    leadsOn: false,
  });
  if (setting?.kind === 'switch') return ['true', 'false'].map((word) => offer(word, word));
  return (setting?.choices ?? []).map((choice) => offer(choice, `"${choice}"`));
}
