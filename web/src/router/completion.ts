/**
 * The catalogue's suggestions at a place of the router document: keys that are not there yet, and a key's choices.
 * Pure.
 */
import type { Offer, Offers } from '../ui/editor/completion';
import { type Setting, settingsAt } from './fields';
import { type StepField, kindOf, stepKinds, whereField } from './steps/steps';
import { type TomlPlace, placeIn } from './tomlPlace';

/** Offers completions; null if there are none at the cursor. */
export function completeToml(text: string, cursor: number): Offers | null {
  const place = placeIn(text, cursor);
  if (place === null) return null;
  const typed = text.slice(place.from, cursor).replace(/^["']/, '');
  const options = optionsAt(place).filter(({ label }) => label.includes(typed));
  return options.length === 0 ? null : { from: place.from, to: place.to, options };
}

/** The table of a route's steps. */
const STEPS = 'steps';

function optionsAt(place: TomlPlace): Offer[] {
  if (place.section === 'routes' && isInSteps(place)) return stepOptionsAt(place);
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

function isInSteps(place: TomlPlace): boolean {
  return place.part === 'key' ? place.table === STEPS : place.key.startsWith(`${STEPS}.`);
}

/**
 * A step has one kind: before it is chosen, all kinds are offered, and then the settings of the
 * chosen one.
 */
function stepOptionsAt(place: TomlPlace): Offer[] {
  const written = [...place.keys]
    .filter((key) => key.startsWith(`${STEPS}.`))
    .map((key) => key.slice(STEPS.length + 1));
  if (place.part === 'value') {
    const own = place.key.slice(STEPS.length + 1);
    const all = stepKinds.flatMap(({ fields }) => fields).filter(({ key }) => key === own);
    const choices = all.find(({ choices }) => choices !== undefined)?.choices ?? [];
    return choices.map((choice) => offerOf(choice, `"${choice}"`, ''));
  }
  const insert = (key: string) => (place.hasValue ? key : `${key} = `);
  const kind = kindOf(Object.fromEntries(written.map((key) => [key, true])));
  if (kind === '') {
    return stepKinds.map((one) => ({
      ...offerOf(one.kind, insert(one.kind), one.does),
      leadsOn: !place.hasValue && hasChoices(one.fields[0]),
    }));
  }
  const fields = stepKinds.find((one) => one.kind === kind)?.fields ?? [];
  return [...fields, whereField]
    .filter(({ key }) => key !== kind && !written.includes(key))
    .map(({ key, label }) => offerOf(key, insert(key), label));
}

function hasChoices(field: StepField | undefined): boolean {
  return field?.choices !== undefined;
}

function offerOf(label: string, insert: string, detail: string): Offer {
  return { label, insert, detail, leadsOn: false };
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
