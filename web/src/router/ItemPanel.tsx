/** The form of a source, a logspace or a destination. */
import { ActionIcon, Button, Group, NativeSelect, Switch, TextInput } from '@mantine/core';
import { IconTrash, IconX } from '@tabler/icons-react';
import type { DocumentProblem, RouterStatus } from '../api/model';
import { FieldGroups } from './FieldGroups';
import { ProblemList } from './ProblemList';
import type { MeasuredRates } from './canvas/measure';
import { DestinationFacts } from './destination/DestinationFacts';
import { TestMessage } from './destination/TestMessage';
import { type Item, type ItemPlace, type Json, idOf, isOff, nounOf, textOf } from './document';
import type { Edit } from './draft/edits';
import { kindsOf } from './fields';
import type { DestinationTask } from './routerParams';
import { problemOfField, problemsOfItem, problemsOfNoField } from './problems';
import { useFocusOnNew } from './useFocusOnNew';
import classes from './ItemPanel.module.css';

type Props = {
  place: ItemPlace;
  item: Item;
  problems: readonly DocumentProblem[];
  status: RouterStatus | undefined;
  measured?: MeasuredRates | undefined;
  canEdit: boolean;
  /** Whether it was added just now: its name is what one writes first. */
  isNew: boolean;
  onClose: () => void;
  onEdit: (edit: Edit, mark?: string | null) => void;
  onOpen: (task: DestinationTask) => void;
};

export function ItemPanel(props: Props) {
  const { place, item, problems, status, canEdit, onClose, onEdit, onOpen } = props;
  const name = useFocusOnNew(props.isNew);
  const own = problemsOfItem(problems, place);
  const noun = nounOf(place.section);
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
          <ActionIcon aria-label="Close" onClick={onClose}>
            <IconX size={16} />
          </ActionIcon>
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
      <fieldset className={classes.fields} disabled={!canEdit}>
        {elsewhere.length > 0 && <ProblemList problems={elsewhere} itemAt={() => item} />}
        <TextInput
          ref={name}
          label="Name"
          spellCheck={false}
          value={idOf(item)}
          error={problemOfField(own, 'id')}
          onChange={(event) => set('id', event.currentTarget.value)}
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

/** The keys that the form has a field for. */
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
        <NativeSelect
          label="Kind"
          size="sm"
          value={kind}
          error={problemOfField(problems, 'kind')}
          onChange={(event) => changeKind(event.currentTarget.value)}
          data={[
            ...(spec === undefined ? [{ value: kind, label: kind }] : []),
            ...kinds.map((one) => ({ value: one.kind, label: one.label })),
          ]}
        />
      )}
      {spec !== undefined && (
        <FieldGroups
          // Another kind has other groups: they are folded anew.
          key={kind}
          section={place.section}
          fields={spec.fields}
          {...{ item, problems, onSet }}
        />
      )}
    </>
  );
}
