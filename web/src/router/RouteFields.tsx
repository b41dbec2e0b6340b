/** What a route matches and where it sends. */
import { Checkbox, Textarea } from '@mantine/core';
import type { DocumentProblem } from '../api/model';
import { FieldInput } from './FieldInput';
import {
  type Item,
  type Json,
  type RouterDocument,
  idOf,
  listOf,
  targetIds,
  textOf,
  valueAt,
} from './document';
import { routeSettings } from './fields';
import { problemOfField } from './problems';
import classes from './ItemPanel.module.css';

/** The keys that this form has a field for. */
export const routeKeys = ['from', 'where', 'to', ...routeSettings.map(({ key }) => key)];

type Props = {
  document: RouterDocument;
  route: Item;
  problems: readonly DocumentProblem[];
  onSet: (key: string, value: Json | undefined) => void;
};

export function RouteFields({ document, route, problems, onSet }: Props) {
  return (
    <>
      <Textarea
        label="Filter"
        description="In the query language; empty or * takes everything."
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        classNames={{ input: classes.mono ?? '' }}
        autosize
        minRows={1}
        spellCheck={false}
        value={textOf(route['where'])}
        error={problemOfField(problems, 'where')}
        onChange={(event) => onSet('where', event.currentTarget.value)}
      />
      <Names
        label="From"
        description="None ticked: all sources."
        known={document.sources.map(idOf)}
        chosen={listOf(route['from'])}
        error={problemOfField(problems, 'from')}
        onChange={(from) => onSet('from', from)}
      />
      <Names
        label="Send to"
        description="Logspaces and destinations."
        known={targetIds(document)}
        chosen={listOf(route['to'])}
        error={problemOfField(problems, 'to')}
        onChange={(to) => onSet('to', to)}
      />
      {routeSettings.map((setting) => (
        <FieldInput
          key={setting.key}
          spec={setting}
          value={valueAt(route, setting.key)}
          error={problemOfField(problems, setting.key)}
          onChange={(value) => onSet(setting.key, value)}
        />
      ))}
    </>
  );
}

type NamesProps = {
  label: string;
  description: string;
  known: readonly string[];
  chosen: readonly string[];
  error: string | undefined;
  onChange: (names: string[]) => void;
};

/** A box for each name there is, and for each that is chosen but gone, so that it can be unticked. */
function Names({ label, description, known, chosen, error, onChange }: NamesProps) {
  const gone = chosen.filter((name) => !known.includes(name));
  return (
    <Checkbox.Group
      label={label}
      description={description}
      error={error}
      value={[...chosen]}
      onChange={onChange}
    >
      <div className={classes.choices}>
        {[...new Set(known)].map((name) => (
          <Checkbox key={name} value={name} label={name} />
        ))}
        {gone.map((name) => (
          <Checkbox key={name} value={name} label={`${name} (does not exist)`} />
        ))}
      </div>
    </Checkbox.Group>
  );
}
