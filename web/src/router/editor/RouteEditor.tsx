/** Everything about one route: what it takes, what it does to it, where it sends it, and what happens afterwards. */
import { Switch } from '@mantine/core';
import type { DocumentProblem, RouterStatus } from '../../api/model';
import { Notice } from '../../ui/Notice';
import { ProblemList } from '../ProblemList';
import { fillingOf } from '../canvas/cardData';
import type { MeasuredRates } from '../canvas/measure';
import type { Shares } from '../canvas/shares';
import { trafficOf } from '../canvas/traffic';
import {
  type Item,
  type ItemPlace,
  type Json,
  type RouterDocument,
  idOf,
  isOff,
  listOf,
  textOf,
} from '../document';
import { badgesOf } from '../draft/badges';
import type { Edit } from '../draft/edits';
import { problemOfField, problemsOfItem, problemsOfNoField, warningOfRoute } from '../problems';
import { StepList } from '../steps/StepList';
import { stepsOf } from '../steps/steps';
import { RouteEnd } from './RouteEnd';
import { RouteHead } from './RouteHead';
import { NameChips } from './NameChips';
import { RouteFilter } from './RouteFilter';
import { sentenceOf } from './sentence';
import { usePreview } from './usePreview';
import classes from './Editor.module.css';

type Props = {
  document: RouterDocument;
  /** The live document that the draft is based on. */
  live: RouterDocument;
  place: ItemPlace;
  route: Item;
  status: RouterStatus | undefined;
  shares: Shares;
  measured: MeasuredRates | undefined;
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
  const own = problemsOfItem(problems, place);
  const elsewhere = problemsOfNoField(own, known);
  const preview = usePreview(document, place.index);
  const traffic = trafficOf(document, status, props.shares);
  const set = (key: string, value: Json | undefined, mark: string | null = null) =>
    props.onEdit({ type: 'set', place, key, value }, mark);
  const typed = (key: string, value: string) => set(key, value, `${place.index} ${key}`);
  const off = [...document.sources, ...document.destinations].filter(isOff).map(idOf);
  const badges = badgesOf(props.live, 'routes', route);
  const takesOthers = badges.some((badge) => ['filter changed', 'sources changed'].includes(badge));
  const warning = warningOfRoute(warnings, idOf(route));
  return (
    <section className="stack minWidth0 fullHeight" aria-label={`Route ${idOf(route)}`}>
      <RouteHead
        {...props}
        error={problemOfField(own, 'id')}
        onName={(name) => typed('id', name)}
        onRemove={() => {
          props.onClose();
          props.onEdit({ type: 'remove', place });
        }}
      >
        <Switch
          label="Enabled"
          labelPosition="left"
          disabled={!canEdit}
          checked={!isOff(route)}
          onChange={(event) => set('enabled', event.currentTarget.checked ? undefined : false)}
        />
      </RouteHead>
      <div className={classes.body}>
        <p className={classes.sentence}>
          {sentenceOf(
            route,
            traffic.routes[place.index]?.takes,
            status === undefined ? undefined : traffic.total,
            takesOthers,
          ).map(({ text, isStrong }, at) => (isStrong ? <b key={at}>{text}</b> : text))}
        </p>
        {warning !== undefined && <Notice tone="caution" title={warning} />}
        {elsewhere.length > 0 && <ProblemList problems={elsewhere} itemAt={() => route} />}
        <RouteFilter
          where={textOf(route['where'])}
          error={problemOfField(own, 'where')}
          canEdit={canEdit}
          onChange={(where) => typed('where', where)}
        />
        <NameChips
          label="From"
          none="All sources"
          known={document.sources.map(idOf)}
          route={route}
          field="from"
          off={off}
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
        <NameChips
          label="Sends to"
          none="No target yet: a route needs one"
          known={[...document.logspaces, ...document.destinations].map(idOf)}
          route={route}
          field="to"
          off={off}
          status={status}
          error={problemOfField(own, 'to')}
          canEdit={canEdit}
          onChange={(to) => set('to', to)}
        />
        <RouteEnd
          {...{ document, place, route }}
          isDraft={badges.includes('new')}
          filling={fillingOf(listOf(route['to']), status, props.measured)}
          canEdit={canEdit}
          onSet={set}
        />
      </div>
    </section>
  );
}
