/** The form of one item of the document. */
import { ActionIcon, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconTrash, IconX } from '@tabler/icons-react';
import type { DocumentProblem } from '../api/model';
import { FieldInput } from './FieldInput';
import { ProblemList } from './ProblemList';
import { RouteFields, routeKeys } from './RouteFields';
import {
  type Item,
  type ItemPlace,
  type Json,
  type RouterDocument,
  idOf,
  nounOf,
  textOf,
  valueAt,
} from './document';
import type { Edit } from './draft';
import { kindsOf } from './fields';
import { problemOfField, problemsOfItem, problemsOfNoField } from './problems';
import classes from './ItemPanel.module.css';

type Props = {
  document: RouterDocument;
  place: ItemPlace;
  item: Item;
  problems: readonly DocumentProblem[];
  canEdit: boolean;
  onClose: () => void;
  onShow: (place: ItemPlace) => void;
  onEdit: (edit: Edit) => void;
};

export function ItemPanel(props: Props) {
  const { document, place, item, problems, canEdit, onClose, onShow, onEdit } = props;
  const own = problemsOfItem(problems, place);
  const noun = nounOf(place.section);
  const set = (key: string, value: Json | undefined) => onEdit({ type: 'set', place, key, value });
  const elsewhere = problemsOfNoField(own, keysOf(place, item));
  return (
    <section className={classes.panel} aria-label={`${noun} ${idOf(item)}`}>
      <div className={classes.head}>
        <h2>{noun}</h2>
        <Group gap={4}>
          {canEdit && place.section === 'routes' && (
            <Order document={document} place={place} onShow={onShow} onEdit={onEdit} />
          )}
          <ActionIcon aria-label="Close" onClick={onClose}>
            <IconX size={16} />
          </ActionIcon>
        </Group>
      </div>
      <fieldset className={classes.fields} disabled={!canEdit}>
        {elsewhere.length > 0 && <ProblemList problems={elsewhere} onShow={() => undefined} />}
        <TextInput
          label="Name"
          spellCheck={false}
          value={idOf(item)}
          error={problemOfField(own, 'id')}
          onChange={(event) => set('id', event.currentTarget.value)}
        />
        {place.section === 'routes' ? (
          <RouteFields document={document} route={item} problems={own} onSet={set} />
        ) : (
          <KindFields place={place} item={item} problems={own} onSet={set} onEdit={onEdit} />
        )}
      </fieldset>
      {canEdit && (
        <Button
          variant="default"
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
  if (place.section === 'routes') return ['id', ...routeKeys];
  const kinds = kindsOf(place.section);
  const spec = kinds.find(({ kind }) => kind === textOf(item['kind']));
  return ['id', 'kind', ...(spec?.fields.map(({ key }) => key) ?? [])];
}

type OrderProps = Pick<Props, 'document' | 'place' | 'onShow' | 'onEdit'>;

function Order({ document, place, onShow, onEdit }: OrderProps) {
  const move = (to: number) => {
    onShow({ ...place, index: to });
    onEdit({ type: 'move', place, to });
  };
  return (
    <>
      <ActionIcon
        aria-label="Move up"
        disabled={place.index === 0}
        onClick={() => move(place.index - 1)}
      >
        <IconArrowUp size={16} />
      </ActionIcon>
      <ActionIcon
        aria-label="Move down"
        disabled={place.index === document.routes.length - 1}
        onClick={() => move(place.index + 1)}
      >
        <IconArrowDown size={16} />
      </ActionIcon>
    </>
  );
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
    onEdit({ type: 'replace', place, item: { id: idOf(item), ...initial } });
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
      {spec?.fields.map((field) => (
        <FieldInput
          key={field.key}
          spec={field}
          value={valueAt(item, field.key)}
          error={problemOfField(problems, field.key)}
          onChange={(value) => onSet(field.key, value)}
        />
      ))}
    </>
  );
}
