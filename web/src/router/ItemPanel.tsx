/** The form of a source, a logspace or a destination. */
import { Button, Group, Switch, TextInput, Textarea } from '@mantine/core';
import { IconTrash, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { DocumentProblem, RouterStatus } from '../api/model';
import { ProblemList } from './ProblemList';
import type { MeasuredRates } from './canvas/measure';
import { DestinationFacts } from './destination/DestinationFacts';
import { TestMessage } from './destination/TestMessage';
import {
  type Item,
  type ItemPlace,
  type Json,
  type Section,
  idOf,
  isOff,
  listOf,
  nouns,
  textOf,
  valueAt,
} from './document';
import type { Edit } from './draft/edits';
import { type Setting, kindsOf } from './fields';
import type { DestinationTask } from './routerParams';
import { problemOfField, problemsOfItem, problemsOfNoField } from './problems';
import { useFocusOnNew } from './useFocusOnNew';
import { type FieldGroup, groupsOf, setText } from './fieldGroups';
import { IconButton } from '../ui/IconButton';
import { SelectField, TextField } from '../ui/Fields';
import classes from './ItemPanel.module.css';

type Props = {
  place: ItemPlace;
  item: Item;
  problems: readonly DocumentProblem[];
  status: RouterStatus | undefined;
  measured?: MeasuredRates | undefined;
  canEdit: boolean;
  /** Whether it has just been added: in that case its name is edited first. */
  isNew: boolean;
  onClose: () => void;
  onEdit: (edit: Edit, mark?: string | null) => void;
  onOpen: (task: DestinationTask) => void;
};

export function ItemPanel(props: Props) {
  const { place, item, problems, status, canEdit, onClose, onEdit, onOpen } = props;
  const name = useFocusOnNew(props.isNew);
  const own = problemsOfItem(problems, place);
  const noun = nouns[place.section];
  const set = (key: string, value: Json | undefined) =>
    onEdit({ type: 'set', place, key, value }, `${place.section} ${place.index} ${key}`);
  const isDestination = place.section === 'destinations';
  const live = isDestination ? status?.destinations.find(({ id }) => id === idOf(item)) : undefined;
  const elsewhere = problemsOfNoField(own, keysOf(place, item));
  return (
    <section className={classes.panel} aria-label={`${noun} ${idOf(item)}`}>
      <div className={classes.head}>
        <h2>{noun}</h2>
        <Group gap={8}>
          {place.section !== 'logspaces' && (
            <Switch
              label="Enabled"
              labelPosition="left"
              disabled={!canEdit}
              checked={!isOff(item)}
              onChange={(event) => set('enabled', event.currentTarget.checked ? undefined : false)}
            />
          )}
          <IconButton icon={IconX} label="Close" onClick={onClose} />
        </Group>
      </div>
      {live !== undefined && (
        <DestinationFacts
          destination={live}
          measured={props.measured}
          canEdit={canEdit}
          onOpen={onOpen}
        />
      )}
      <fieldset className="stack gap12 minWidth0 fullWidth" disabled={!canEdit}>
        {elsewhere.length > 0 && <ProblemList problems={elsewhere} itemAt={() => item} />}
        <TextField
          ref={name}
          label="Name"
          value={idOf(item)}
          error={problemOfField(own, 'id')}
          onChange={(text) => set('id', text)}
        />
        <KindFields place={place} item={item} problems={own} onSet={set} onEdit={onEdit} />
      </fieldset>
      {canEdit && isDestination && <TestMessage item={item} />}
      {canEdit && (
        <Button
          leftSection={<IconTrash size={14} />}
          onClick={() => {
            onClose();
            onEdit({ type: 'remove', place });
          }}
        >
          Remove
        </Button>
      )}
    </section>
  );
}

/** The keys for which the form has a field. */
function keysOf(place: ItemPlace, item: Item): string[] {
  if (place.section === 'routes') return [];
  const kinds = kindsOf(place.section);
  const spec = kinds.find(({ kind }) => kind === textOf(item['kind']));
  return ['id', 'kind', 'enabled', ...(spec?.fields.map(({ key }) => key) ?? [])];
}

type KindFieldsProps = {
  place: ItemPlace;
  item: Item;
  problems: readonly DocumentProblem[];
  onSet: (key: string, value: Json | undefined) => void;
  onEdit: (edit: Edit) => void;
};

function KindFields({ place, item, problems, onSet, onEdit }: KindFieldsProps) {
  if (place.section === 'routes') return null;
  const kinds = kindsOf(place.section);
  const kind = textOf(item['kind']);
  const spec = kinds.find((one) => one.kind === kind);
  const changeKind = (next: string) => {
    const initial = kinds.find((one) => one.kind === next)?.initial ?? {};
    const kept = isOff(item) ? { enabled: false } : {};
    onEdit({ type: 'replace', place, item: { id: idOf(item), ...kept, ...initial } });
  };
  return (
    <>
      {kinds.length > 1 && (
        <SelectField
          label="Kind"
          size="sm"
          value={kind}
          error={problemOfField(problems, 'kind')}
          onChange={changeKind}
          data={[
            ...(spec === undefined ? [{ value: kind, label: kind }] : []),
            ...kinds.map((one) => ({ value: one.kind, label: one.label })),
          ]}
        />
      )}
      {spec !== undefined && (
        <FieldGroups
          // Another kind has other groups, which start folded.
          key={kind}
          section={place.section}
          fields={spec.fields}
          {...{ item, problems, onSet }}
        />
      )}
    </>
  );
}

type FieldGroupsProps = {
  section: Section;
  fields: readonly Setting[];
  item: Item;
  problems: readonly DocumentProblem[];
  onSet: (key: string, value: Json | undefined) => void;
};

/**
 * The settings of an item in groups. A group with a problem is open, so that the problem is in
 * view.
 */
function FieldGroups({ section, fields, ...shared }: FieldGroupsProps) {
  return groupsOf(section, fields).map((group) =>
    group.isAdvanced ? (
      <Folded key={group.name} group={group} {...shared} />
    ) : (
      <Fields key={group.name} fields={group.fields} {...shared} />
    ),
  );
}

type GroupProps = Omit<FieldGroupsProps, 'section' | 'fields'>;

function Folded({ group, ...shared }: GroupProps & { group: FieldGroup }) {
  const { name, fields } = group;
  const isWrong = fields.some(({ key }) => problemOfField(shared.problems, key) !== undefined);
  const set = setText(fields, shared.item);
  const [isOpen, setOpen] = useState(false);
  // It stays open after the problem is solved, because somebody is editing it.
  if (isWrong && !isOpen) setOpen(true);
  return (
    <details
      className={classes.group}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="truncate">
        <b>{name}</b> <span title={set}>{set === '' ? 'defaults' : set}</span>
      </summary>
      <div className="stack gap12 minWidth0 fullWidth">
        <Fields fields={fields} {...shared} />
      </div>
    </details>
  );
}

function Fields({ fields, item, problems, onSet }: GroupProps & { fields: readonly Setting[] }) {
  return fields.map((field) => (
    <FieldInput
      key={field.key}
      spec={field}
      value={valueAt(item, field.key)}
      error={problemOfField(problems, field.key)}
      onChange={(value) => onSet(field.key, value)}
    />
  ));
}

type FieldInputProps = {
  spec: Setting;
  value: Json | undefined;
  error: string | undefined;
  onChange: (value: Json | undefined) => void;
};

const order: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];

/**
 * One field of an item, according to its row in the catalogue. An empty field removes its key from
 * the document.
 */
function FieldInput({ spec, value, error, onChange }: FieldInputProps) {
  const common = {
    label: spec.label,
    description: spec.help,
    error,
    inputWrapperOrder: order,
    placeholder: spec.placeholder ?? spec.default ?? '',
    spellCheck: false,
  };
  switch (spec.kind) {
    case 'text':
    case 'size':
    case 'duration':
    case 'number': {
      const read = spec.kind === 'number' ? numberOf : (text: string) => text;
      return (
        <TextInput
          {...common}
          value={textOf(value)}
          onChange={({ currentTarget: { value: text } }) =>
            onChange(text === '' ? undefined : read(text))
          }
        />
      );
    }
    case 'choice':
      return (
        <SelectField
          label={common.label}
          description={common.description}
          error={error}
          inputWrapperOrder={order}
          size="sm"
          value={value === spec.default ? '' : textOf(value)}
          onChange={(value) => onChange(value === '' ? undefined : value)}
          data={choicesOf(spec, value)}
        />
      );
    case 'switch': {
      const standard = spec.default === 'true';
      return (
        <Switch
          label={common.label}
          description={common.description}
          error={error}
          checked={value === undefined ? standard : value === true}
          onChange={({ currentTarget: { checked } }) =>
            onChange(checked === standard ? undefined : checked)
          }
        />
      );
    }
    case 'list':
      return <LinesInput {...common} value={value} onChange={onChange} />;
    case 'later':
      return null;
  }
}

/**
 * The choices. The default comes first and is what an empty field means; without a default there is
 * an empty choice.
 */
function choicesOf({ choices = [], default: standard }: Setting, value: Json | undefined) {
  const others = choices.filter((choice) => choice !== standard);
  const list = others.map((choice) => ({ value: choice, label: choice }));
  if (standard !== undefined) return [{ value: '', label: `${standard} (default)` }, ...list];
  return value === undefined ? [{ value: '', label: 'Choose…' }, ...list] : list;
}

type LinesProps = Omit<FieldInputProps, 'spec'> & {
  label: string;
  description: string;
  placeholder: string;
  inputWrapperOrder: typeof order;
};

/**
 * Keeps the text as typed, including empty lines; the document only gets the lines that are not
 * empty.
 */
function LinesInput({ value, onChange, ...common }: LinesProps) {
  const [text, setText] = useState(listOf(value).join('\n'));
  return (
    <Textarea
      {...common}
      classNames={{ input: 'monoFont' }}
      autosize
      minRows={1}
      value={text}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed);
        onChange(linesOf(typed));
      }}
    />
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Text that is not a number stays as typed, so that the server reports it. */
function numberOf(text: string): Json {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
