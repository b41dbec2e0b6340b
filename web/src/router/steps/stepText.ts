/** The settings of a step as text in a form, and back. Pure. */
import { type Item, type Json, isObject, listOf, textOf, withValue } from '../document';
import type { StepField } from './steps';

export function writtenIn(field: StepField, value: Json | undefined): string {
  switch (field.kind) {
    case 'list':
      return listOf(value).join(', ');
    case 'pairs':
      return isObject(value)
        ? Object.entries(value)
            .map(([name, to]) => `${name} = ${textOf(to)}`)
            .join('\n')
        : '';
    case 'text':
    case 'choice':
    case 'number':
      return textOf(value);
  }
}

/** Parses the text of a setting; undefined removes the setting from the step. */
export function readFrom(field: StepField, text: string): Json | undefined {
  switch (field.kind) {
    case 'list':
      return text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '');
    case 'pairs':
      return pairsOf(text);
    case 'number': {
      const number = Number(text);
      return text.trim() === '' || Number.isNaN(number) ? text : number;
    }
    case 'text':
    case 'choice':
      return text;
  }
}

/**
 * The step with one setting changed; empty settings are removed, except those that a new step of
 * this kind has.
 */
export function withSetting(step: Item, field: StepField, text: string, keeps: boolean): Item {
  if (text.trim() === '' && !keeps) return withValue(step, field.key, undefined);
  return { ...step, [field.key]: readFrom(field, text) ?? '' };
}

function pairsOf(text: string): Item {
  const pairs = text.split('\n').flatMap((line) => {
    const [name = '', ...value] = line.split('=');
    return name.trim() === '' ? [] : [[name.trim(), value.join('=').trim()] as const];
  });
  return Object.fromEntries(pairs);
}
