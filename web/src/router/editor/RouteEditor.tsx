/** Everything about one route: what it takes, what it does to it, where it sends it, and what happens afterwards. */
import { ActionIcon, Switch, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconTrash, IconX } from '@tabler/icons-react';
import type { DocumentProblem, RouterStatus } from '../../api/model';
import { Notice } from '../../ui/Notice';
import type { Shares } from '../canvas/shares';
import { trafficOf } from '../canvas/traffic';
import {
  type Item,
  type ItemPlace,
  type Json,
  type RouterDocument,
  idOf,
  textOf,
} from '../document';
import type { Edit } from '../draft/edits';
import { problemOfField, problemsOfItem, problemsOfNoField, warningOfRoute } from '../problems';
import { StepList } from '../steps/StepList';
import { stepsOf } from '../steps/steps';
import { useFocusOnNew } from '../useFocusOnNew';
import { focusCard } from '../useRouterKeys';
import { Afterwards } from './Afterwards';
import { Names } from './Names';
import { Takes } from './Takes';
import { sentenceOf } from './sentence';
import { usePreview } from './usePreview';
import classes from './Editor.module.css';

type Props = {
  document: RouterDocument;
  place: ItemPlace;
  route: Item;
  status: RouterStatus | undefined;
  shares: Shares;
  problems: readonly DocumentProblem[];
  warnings: readonly string[];
  step: number | null;
  canEdit: boolean;
  /** Whether it was added just now: its name is what one writes first. */
  isNew: boolean;
  onStep: (step: number | null) => void;
  onShow: (place: ItemPlace) => void;
  onClose: () => void;
  onEdit: (edit: Edit, mark?: string | null) => void;
};

const known = [
  'id',
  'enabled',
  'where',
  'from',
  'to',
  'steps',
  'final',
  'fallback',
  'flow_control',
];

export function RouteEditor(props: Props) {
  const { document, place, route, status, problems, warnings, step, canEdit } = props;
  const name = useFocusOnNew(props.isNew);
  const own = problemsOfItem(problems, place);
  const elsewhere = problemsOfNoField(own, known);
  const preview = usePreview(document, place.index);
  const traffic = trafficOf(document, status, props.shares);
  const set = (key: string, value: Json | undefined, mark: string | null = null) =>
    props.onEdit({ type: 'set', place, key, value }, mark);
  const typed = (key: string, value: string) => set(key, value, `${place.index} ${key}`);
  const warning = warningOfRoute(warnings, idOf(route));
  return (
    <section className={classes.panel} aria-label={`Route ${idOf(route)}`}>
      <div className={classes.head}>
        <span className={classes.order}>{place.index + 1}</span>
        <h2>{idOf(route)}</h2>
        <Switch
          label="Enabled"
          labelPosition="left"
          disabled={!canEdit}
          checked={route['enabled'] !== false}
          onChange={(event) => set('enabled', event.currentTarget.checked ? undefined : false)}
        />
        {canEdit && <Tools {...props} />}
        <ActionIcon aria-label="Close" onClick={props.onClose}>
          <IconX size={16} />
        </ActionIcon>
      </div>
      <div className={classes.body}>
        <p>{sentenceOf(route, traffic.routes[place.index]?.takes, traffic.total)}</p>
        {warning !== undefined && <Notice tone="caution" title={warning} />}
        {elsewhere.map(({ path, message }) => (
          <Notice key={`${path} ${message}`} tone="error" title={`${path}: ${message}`} />
        ))}
        <TextInput
          ref={name}
          label="Name"
          spellCheck={false}
          disabled={!canEdit}
          value={idOf(route)}
          error={problemOfField(own, 'id')}
          onChange={(event) => typed('id', event.currentTarget.value)}
        />
        <Takes
          where={textOf(route['where'])}
          error={problemOfField(own, 'where')}
          canEdit={canEdit}
          onChange={(where) => typed('where', where)}
        />
        <Names
          label="From"
          none="All sources"
          known={document.sources.map(idOf)}
          route={route}
          field="from"
          status={status}
          error={problemOfField(own, 'from')}
          canEdit={canEdit}
          onChange={(from) => set('from', from)}
        />
        <StepList
          steps={stepsOf(route)}
          reports={preview.report?.steps ?? []}
          isOld={preview.isOld}
          problems={own}
          open={step}
          canEdit={canEdit}
          onOpen={props.onStep}
          onChange={(steps, mark) =>
            set('steps', steps.length === 0 ? undefined : steps, mark && `${place.index} ${mark}`)
          }
        />
        {preview.error !== null && own.length === 0 && stepsOf(route).length > 0 && (
          <p className="dimmed">The steps could not be tried: {preview.error.message}</p>
        )}
        <Names
          label="Send to"
          none="No target yet: a route needs one"
          known={[...document.logspaces, ...document.destinations].map(idOf)}
          route={route}
          field="to"
          status={status}
          error={problemOfField(own, 'to')}
          canEdit={canEdit}
          onChange={(to) => set('to', to)}
        />
        <Afterwards route={route} canEdit={canEdit} onSet={set} />
      </div>
    </section>
  );
}

function Tools({ document, place, onShow, onEdit, onClose }: Props) {
  const move = (to: number) => {
    onShow({ ...place, index: to });
    onEdit({ type: 'move', place, to });
    // The form is another one now, and its buttons with it.
    focusCard({ ...place, index: to });
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
      <ActionIcon
        aria-label="Remove route"
        onClick={() => {
          onClose();
          onEdit({ type: 'remove', place });
        }}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </>
  );
}
