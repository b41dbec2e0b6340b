/**
 * The editor of one route: which messages it takes, how it changes them, where it sends them, and
 * what happens afterwards.
 */
import { Button, Menu, Radio, Switch } from '@mantine/core';
import { IconDatabase, IconPlugConnectedX, IconPlus, IconSend2, IconX } from '@tabler/icons-react';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RouterStatus } from '../../api/model';
import { IconButton } from '../../ui/IconButton';
import { Notice } from '../../ui/Notice';
import { ProblemList } from '../ProblemList';
import { fillingOf } from '../canvas/cardData';
import { failingTargets, trafficOf } from '../canvas/traffic';
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
import type { KnownDocument } from '../known';
import { problemOfField, problemsOfItem, problemsOfNoField, warningOfRoute } from '../problems';
import { StepList } from '../steps/StepList';
import { stepsOf } from '../steps/steps';
import { runTest } from '../testing/run';
import type { RouteReport, TestReport } from '../testing/wire';
import { RouteHead } from './RouteHead';
import { RouteFilter } from './RouteFilter';
import { sentenceOf } from './sentence';
import { endsText, goesOnText, laterRoutes, slowText } from './routeEndText';
import classes from './Editor.module.css';

type Props = KnownDocument & {
  place: ItemPlace;
  route: Item;
  step: number | null;
  canEdit: boolean;
  /** Whether it has just been added: in that case its name is edited first. */
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
  const warning = warningOfRoute(warnings, place.index);
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
      <div className="stack gap16 pad16 grow minHeight0 scroll">
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

type NameChipsProps = {
  label: string;
  /** The meaning of an empty list. */
  none: string;
  known: readonly string[];
  route: Item;
  field: 'from' | 'to';
  status: RouterStatus | undefined;
  /** The names of disabled items. */
  off: readonly string[];
  error: string | undefined;
  canEdit: boolean;
  onChange: (names: string[]) => void;
};

/** The sources or the targets that a route names, as chips. */
function NameChips(props: NameChipsProps) {
  const { label, none, known, route, field, status, off, error, canEdit, onChange } = props;
  const chosen = listOf(route[field]);
  const failing = failingTargets(status);
  const others = [...new Set(known)].filter((name) => !chosen.includes(name));
  return (
    <div role="group" aria-label={label}>
      <h3>{label}</h3>
      <div className="row wrap gap6 marginTop4">
        {chosen.length === 0 && <span className="dimmed">{none}</span>}
        {chosen.map((name) => {
          const isGone = !known.includes(name);
          return (
            <span
              key={name}
              className={classes.chip}
              data-bad={isGone || (failing.has(name) && !off.includes(name))}
              data-off={off.includes(name)}
            >
              {field === 'to' && iconOf(name, status, failing)}
              <span className="truncate" title={name}>
                {name}
              </span>
              {isGone && ' does not exist'}
              {off.includes(name) ? ' off' : failing.has(name) && ' down'}
              {canEdit && (
                <IconButton
                  icon={IconX}
                  iconSize={12}
                  size={20}
                  label={`Remove ${name}`}
                  onClick={() => onChange(chosen.filter((one) => one !== name))}
                />
              )}
            </span>
          );
        })}
        {canEdit && others.length > 0 && (
          <Menu position="bottom-start" portalProps={{ target: '#content' }}>
            <Menu.Target>
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<IconPlus size={14} />}
                aria-label={field === 'to' ? 'Add target' : 'Only from a source'}
              >
                {field === 'to' ? 'Target' : 'Source'}
              </Button>
            </Menu.Target>
            <Menu.Dropdown className={classes.menu ?? ''}>
              {others.map((name) => (
                <Menu.Item key={name} onClick={() => onChange([...chosen, name])}>
                  {name}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      {error !== undefined && <p className="marginTop4 meta bad">{error}</p>}
    </div>
  );
}

function iconOf(name: string, status: RouterStatus | undefined, failing: ReadonlySet<string>) {
  if (failing.has(name)) return <IconPlugConnectedX size={14} aria-hidden />;
  const isDestination = status?.destinations.some(({ id }) => id === name) ?? false;
  return isDestination ? (
    <IconSend2 size={14} aria-hidden />
  ) : (
    <IconDatabase size={14} aria-hidden />
  );
}

const MESSAGES = 1_000;
const WAIT_MS = 250;
const EXAMPLES = 5;

type Preview = { report: RouteReport | undefined; isOld: boolean; error: Error | null };

/**
 * The effect of a route's steps on the last messages that it takes. The last answer stays, marked
 * as old, while the next one is on its way.
 */
function usePreview(document: RouterDocument, index: number): Preview {
  const [settled] = useDebouncedValue(document, WAIT_MS);
  const route = settled.routes[index] ?? {};
  const query = textOf(route['where']).trim();
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['router', 'preview', settled, index],
    queryFn: async ({ signal }): Promise<TestReport | null> => {
      let last: TestReport | null = null;
      const request = {
        document: settled,
        ...(query !== '' && { query }),
        limit: MESSAGES,
        examples: EXAMPLES,
      };
      for await (const report of runTest(request, signal)) last = report;
      return last;
    },
    enabled: stepsOf(route).length > 0,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
  return {
    report: data?.routes.find(({ id }) => id === idOf(route)),
    isOld: isPlaceholderData || settled !== document,
    error,
  };
}

type RouteEndProps = {
  document: RouterDocument;
  place: ItemPlace;
  route: Item;
  /**
   * Whether the route is not live yet: in that case the form asks about points that users tend to
   * forget.
   */
  isDraft: boolean;
  /** A target that will become full, and the time until then. */
  filling: { id: string; within: string } | undefined;
  canEdit: boolean;
  onSet: (key: string, value: Json | undefined) => void;
};

/**
 * The end of a route: where its messages go next, and what their senders notice if a target cannot
 * keep up.
 */
function RouteEnd(props: RouteEndProps) {
  const { document, place, route, isDraft, filling, canEdit, onSet } = props;
  const later = laterRoutes(document, place);
  const isAsked = isDraft && route['final'] === undefined && later.length > 0;
  return (
    <>
      <Radio.Group
        label={isAsked ? 'A copy, or instead?' : 'Afterwards'}
        description={isAsked ? 'Until you choose, it is a copy.' : undefined}
        value={isAsked ? '' : route['final'] === true ? 'ends' : 'goes on'}
        onChange={(value) => onSet('final', value === 'ends')}
      >
        <div className={classes.choices}>
          <Choice value="ends" title="Ends here" about={endsText(later)} off={!canEdit} />
          <Choice value="goes on" title="Also goes on" about={goesOnText(later)} off={!canEdit} />
        </div>
      </Radio.Group>
      <Switch
        label="Only what no earlier route took"
        description="A fallback: put it last."
        disabled={!canEdit}
        checked={route['fallback'] === true}
        onChange={(event) => onSet('fallback', event.currentTarget.checked ? true : undefined)}
      />
      <Switch
        label="Slow senders down"
        description={slowText(document, route, filling)}
        disabled={!canEdit}
        checked={route['flow_control'] !== false}
        onChange={(event) => onSet('flow_control', event.currentTarget.checked ? undefined : false)}
      />
    </>
  );
}

type ChoiceProps = { value: string; title: string; about: string; off: boolean };

function Choice({ value, title, about, off }: ChoiceProps) {
  return (
    <Radio.Card value={value} className={classes.choice ?? ''} disabled={off}>
      <Radio.Indicator size="xs" />
      <span>
        <b>{title}</b>
        <br />
        <span className="dimmed">{about}</span>
      </span>
    </Radio.Card>
  );
}
