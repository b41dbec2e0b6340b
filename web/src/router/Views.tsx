/**
 * The document as a canvas, as lists or as text. A narrow window shows lists instead of the canvas.
 */
import { Skeleton } from '@mantine/core';
import { Suspense, lazy, useState } from 'react';
import { IconAlertTriangle, IconGripVertical } from '@tabler/icons-react';
import { fetched } from '../api/code';
import type { DestinationStatus, DocumentProblem } from '../api/model';
import { Notice } from '../ui/Notice';
import { formatBytes, formatCount, formatRate } from '../ui/number';
import { formatLength, useZone } from '../ui/time';
import { type CardActions, forecastFor, isFailing } from './canvas/cardData';
import {
  type Item,
  type ItemPlace,
  type RouterDocument,
  type Section,
  idOf,
  isOff,
  isSamePlace,
  listOf,
  nouns,
} from './document';
import type { KnownDocument } from './known';
import type { DestinationTask, RouterView } from './routerParams';
import { itemsOf } from './textItems';
import { AddButton } from './AddButton';
import { ProblemList } from './ProblemList';
import { completeToml } from './completion';
import { itemText, liveOf, noneYet, rateLabel } from './itemText';
import { Badges } from './canvas/Badges';
import { forecastText } from './canvas/forecast';
import { sinceText } from './canvas/since';
import { type RouteTraffic, trafficOf } from './canvas/traffic';
import { DestinationActions } from './destination/DestinationActions';
import { badgesOf } from './draft/badges';
import { problemsOfItem } from './problems';
import { kindOf, stepsOf } from './steps/steps';
import classes from './RouterPage.module.css';
import listClasses from './list/List.module.css';

const Canvas = lazy(() => fetched(() => import('./canvas/Canvas')));

type Props = Omit<KnownDocument, 'document'> & {
  /** Null while the draft is a text that cannot be parsed. */
  document: RouterDocument | null;
  text: string | null;
  /** The problems that have a position in the text. */
  marks: readonly DocumentProblem[];
  view: RouterView;
  canEdit: boolean;
  isNarrow: boolean;
  lit: ReadonlySet<string> | null;
  onShow: (item: ItemPlace) => void;
  onShowPath: (path: string) => void;
  onAdd: (section: Section) => void;
  actions: CardActions;
  onOpen: (task: DestinationTask) => void;
  onWrite: (text: string) => void;
};

export function Views(props: Props) {
  const {
    document,
    text,
    status,
    shares,
    problems,
    marks,
    warnings,
    view,
    canEdit,
    isNarrow,
    lit,
  } = props;
  if (view.mode === 'text') {
    return (
      <TextView
        text={text}
        marks={marks}
        problems={problems}
        itemAt={itemsOf(document, text === null ? null : { kind: 'toml', text })}
        canEdit={canEdit}
        onShowPath={props.onShowPath}
        onWrite={props.onWrite}
      />
    );
  }
  if (document === null) {
    return (
      <div className={classes.text}>
        <Notice tone="caution" title="The text cannot be read as a document">
          Correct it in the Text view; then it is shown here again.
        </Notice>
      </div>
    );
  }
  const shared = { document, status, shares, problems, warnings, onShow: props.onShow };
  if (view.mode === 'list' || isNarrow) {
    return (
      <ListView
        {...shared}
        live={props.live}
        measured={props.measured}
        shown={view.item}
        canEdit={canEdit}
        onAdd={props.onAdd}
        onMove={props.actions.onMove}
        onOpen={props.onOpen}
      />
    );
  }
  return (
    <Suspense fallback={<Skeleton height={320} m={24} aria-label="Loading" />}>
      <Canvas
        {...shared}
        live={props.live}
        measured={props.measured}
        item={view.item}
        lit={lit}
        onAdd={canEdit ? props.onAdd : null}
        actions={canEdit ? props.actions : null}
      />
    </Suspense>
  );
}

const TomlEditor = lazy(() => fetched(() => import('../ui/editor/TomlEditor')));

type TextViewProps = {
  text: string | null;
  /** The problems that have a position in the text. */
  marks: readonly DocumentProblem[];
  problems: readonly DocumentProblem[];
  /** Finds an item of the document from which the names in problems are taken. */
  itemAt: (place: ItemPlace) => Item | undefined;
  canEdit: boolean;
  onShowPath: (path: string) => void;
  onWrite: (text: string) => void;
};

/** The document as text, in an editor with completion. Problems are docked below it. */
function TextView(props: TextViewProps) {
  const { text, marks, problems, itemAt, canEdit, onShowPath, onWrite } = props;
  const [shown, show] = useState<DocumentProblem | null>(null);
  return (
    <div className={classes.text} data-docked>
      {text === null ? (
        <Notice tone="caution" title="The draft cannot be written as text yet">
          Correct what is listed below in the form; then its text is shown here.
        </Notice>
      ) : (
        <Suspense fallback={<Skeleton height={320} aria-label="Loading" />}>
          <TomlEditor
            label="Router document"
            value={text}
            marks={marks}
            readOnly={!canEdit}
            offersAt={completeToml}
            caret={shown}
            onChange={onWrite}
          />
        </Suspense>
      )}
      {problems.length > 0 && (
        <section className={classes.dock} aria-label="Problems" tabIndex={0}>
          <ProblemList
            problems={problems}
            itemAt={itemAt}
            onShow={(problem) => {
              // A copy, so that selecting the same problem again scrolls to it again.
              if (text !== null && problem.line !== undefined) show({ ...problem });
              else onShowPath(problem.path);
            }}
          />
        </section>
      )}
    </div>
  );
}

type ListViewProps = KnownDocument & {
  /** The item that is open. */
  shown: ItemPlace | null;
  canEdit: boolean;
  onShow: (place: ItemPlace) => void;
  onAdd: (section: Section) => void;
  onMove: (place: ItemPlace, to: number) => void;
  onOpen: (task: DestinationTask) => void;
};

const titles: readonly { section: Section; title: string }[] = [
  { section: 'sources', title: 'Sources' },
  { section: 'routes', title: 'Routes, in order' },
  { section: 'logspaces', title: 'Logspaces' },
  { section: 'destinations', title: 'Destinations' },
];

/**
 * The document as lists: routes in their order, which can be changed by dragging and by keys, and
 * the sources and targets.
 */
export function ListView(props: ListViewProps) {
  const { document, status, canEdit, onAdd, onOpen } = props;
  const left = status?.queues_left ?? [];
  return (
    <div className={listClasses.lists}>
      {titles.map(({ section, title }) => (
        <section key={section} className={listClasses.list} aria-label={title.replace(/,.*/, '')}>
          <div className="row gap8 height32">
            <h2>{title}</h2>
            {canEdit && (
              <AddButton
                label={`Add ${nouns[section].toLowerCase()}`}
                onClick={() => onAdd(section)}
              />
            )}
          </div>
          <Rows {...props} section={section} />
          {section === 'routes' && status !== undefined && status.unrouted_messages > 0 && (
            <p className={listClasses.note}>
              {formatCount(status.unrouted_messages)} messages matched no route and were dropped.
            </p>
          )}
          {document[section].length === 0 && <p className={listClasses.note}>{noneYet[section]}</p>}
          {section === 'destinations' &&
            left.map((one) => (
              <div key={one.id} className={listClasses.note}>
                <b>{one.id}</b> is not in the document: {formatCount(one.queue_messages)} messages
                wait until it comes back.
                {canEdit && <DestinationActions destination={one} onOpen={onOpen} />}
              </div>
            ))}
        </section>
      ))}
    </div>
  );
}

function Rows(props: ListViewProps & { section: Section }) {
  const { document, section, canEdit, onMove, status } = props;
  const [dragged, setDragged] = useState<number | null>(null);
  const canMove = canEdit && section === 'routes';
  const traffic = section === 'routes' ? trafficOf(document, status, props.shares).routes : [];
  return (
    <ol className={listClasses.rows}>
      {document[section].map((item, index) => (
        <li
          key={index}
          data-dragged={dragged === index}
          draggable={canMove}
          onDragStart={() => setDragged(index)}
          onDragEnd={() => setDragged(null)}
          onDragOver={(event) => {
            if (dragged !== null) event.preventDefault();
          }}
          onDrop={() => {
            if (dragged !== null) onMove({ section, index: dragged }, index);
            setDragged(null);
          }}
        >
          <Row {...props} item={item} place={{ section, index }} traffic={traffic[index]} />
        </li>
      ))}
    </ol>
  );
}

type RowProps = ListViewProps & { item: Item; place: ItemPlace; traffic: RouteTraffic | undefined };

function Row(props: RowProps) {
  const { item, place, traffic, status, problems, warnings, canEdit } = props;
  const { section, index } = place;
  const isRoute = section === 'routes';
  const name = idOf(item) === '' ? 'without a name' : idOf(item);
  const wrong = problemsOfItem(problems, place);
  const live = liveOf(status, section, idOf(item));
  const off = isOff(item);
  const badges = badgesOf(props.live, section, item);
  const destination =
    section === 'destinations'
      ? status?.destinations.find(({ id }) => id === idOf(item))
      : undefined;
  const forecast =
    destination === undefined || off ? '' : forecastText(forecastFor(destination, props.measured));
  return (
    <>
      <button
        type="button"
        className={listClasses.row}
        aria-label={`${nouns[section]} ${name}`}
        aria-pressed={isSamePlace(props.shown, place)}
        data-card={`${section}-${index}`}
        data-off={off}
        onClick={() => props.onShow(place)}
      >
        {isRoute && canEdit && <IconGripVertical size={14} aria-hidden />}
        {isRoute && <span className={listClasses.order}>{index + 1}</span>}
        <b className={listClasses.name} title={name}>
          {name}
        </b>
        <span className={listClasses.about}>{itemText(place, item, warnings)}</span>
        {isRoute && (
          <span className={listClasses.path}>
            {stepsOf(item).map(kindOf).join(', ')}
            {' → '}
            {listOf(item['to']).join(', ') || 'nowhere'}
          </span>
        )}
        {wrong.length > 0 && (
          <span className="inlineRow gap4 meta bad">
            <IconAlertTriangle size={14} aria-hidden /> {wrong[0]?.message}
          </span>
        )}
        {wrong.length === 0 && !off && live?.trouble !== undefined && (
          <span className="inlineRow gap4 meta bad">{destination?.last_error ?? live.trouble}</span>
        )}
        {traffic !== undefined && traffic.drops > 0 && (
          <span className="meta dimmed">{formatRate(traffic.drops)}/s dropped</span>
        )}
        {destination !== undefined && destination.queue_messages > 0 && (
          <span className={listClasses.queued} data-off={off}>
            {formatCount(destination.queue_messages)} {off ? 'kept' : 'queued'}
            {forecast !== '' && `, ${forecast}`}
          </span>
        )}
        {destination !== undefined && destination.quarantined > 0 && (
          <span className={listClasses.queued}>{formatCount(destination.quarantined)} refused</span>
        )}
        {off && !badges.includes('disabled') && (
          <span className="padX6 meta dimmed surface round4">off</span>
        )}
        <Badges badges={badges} shown={2} />
        <span className="toEnd bold">{off ? '' : rateLabel(status, live)}</span>
      </button>
      {destination !== undefined && !off && isFailing(destination) && <Outage of={destination} />}
      {destination !== undefined && canEdit && (
        <div className={listClasses.actions}>
          <DestinationActions destination={destination} onOpen={props.onOpen} />
        </div>
      )}
    </>
  );
}

/** The time since when a destination has been down, and the messages that wait. */
function Outage({ of }: { of: DestinationStatus }) {
  const [zone] = useZone();
  const parts = [
    `Down ${sinceText(of, zone)}`.trim(),
    `${formatBytes(of.queue_bytes)} of ${formatBytes(of.queue_bytes_max)} queued`,
    ...(of.oldest_ms == null ? [] : [`the oldest waits for ${formatLength(of.oldest_ms)}`]),
  ];
  return <p className={listClasses.outage}>{parts.join(' · ')}</p>;
}
