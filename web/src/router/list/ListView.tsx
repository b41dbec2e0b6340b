/** The document as lists: routes in their order, which can be dragged and moved by keys, and what is on both sides. */
import { Button } from '@mantine/core';
import { IconAlertTriangle, IconGripVertical, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { DestinationStatus, DocumentProblem, RouterStatus } from '../../api/model';
import { formatBytes, formatCount, formatRate } from '../../ui/number';
import { formatLength, useZone } from '../../ui/time';
import { itemText, liveOf, noneYet, rateLabel } from '../itemText';
import { Badges } from '../canvas/Badges';
import { forecastFor, isFailing } from '../canvas/cardData';
import { forecastText } from '../canvas/forecast';
import type { MeasuredRates } from '../canvas/measure';
import type { Shares } from '../canvas/shares';
import { sinceText } from '../canvas/since';
import { type RouteTraffic, trafficOf } from '../canvas/traffic';
import { DestinationActions } from '../destination/DestinationActions';
import {
  type Item,
  type ItemPlace,
  type RouterDocument,
  type Section,
  idOf,
  isOff,
  isSamePlace,
  listOf,
  nounOf,
} from '../document';
import { badgesOf } from '../draft/badges';
import { problemsOfItem } from '../problems';
import type { DestinationTask } from '../routerParams';
import { kindOf, stepsOf } from '../steps/steps';
import classes from './List.module.css';

type Props = {
  document: RouterDocument;
  status: RouterStatus | undefined;
  /** The live document that the draft is based on. */
  live: RouterDocument;
  shares: Shares;
  measured: MeasuredRates | undefined;
  problems: readonly DocumentProblem[];
  warnings: readonly string[];
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

export function ListView(props: Props) {
  const { document, status, canEdit, onAdd, onOpen } = props;
  const left = status?.queues_left ?? [];
  return (
    <div className={classes.lists}>
      {titles.map(({ section, title }) => (
        <section key={section} className={classes.list} aria-label={title.replace(/,.*/, '')}>
          <div className={classes.head}>
            <h2>{title}</h2>
            {canEdit && (
              <Button
                variant="subtle"
                size="compact-xs"
                leftSection={<IconPlus size={14} />}
                aria-label={`Add ${nounOf(section).toLowerCase()}`}
                onClick={() => onAdd(section)}
              >
                Add
              </Button>
            )}
          </div>
          <Rows {...props} section={section} />
          {section === 'routes' && status !== undefined && status.unrouted_messages > 0 && (
            <p className={classes.note}>
              {formatCount(status.unrouted_messages)} messages matched no route and were dropped.
            </p>
          )}
          {document[section].length === 0 && <p className={classes.note}>{noneYet(section)}</p>}
          {section === 'destinations' &&
            left.map((one) => (
              <div key={one.id} className={classes.note}>
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

function Rows(props: Props & { section: Section }) {
  const { document, section, canEdit, onMove, status } = props;
  const [dragged, setDragged] = useState<number | null>(null);
  const canMove = canEdit && section === 'routes';
  const traffic = section === 'routes' ? trafficOf(document, status, props.shares).routes : [];
  return (
    <ol className={classes.rows}>
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

type RowProps = Props & { item: Item; place: ItemPlace; traffic: RouteTraffic | undefined };

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
        className={classes.row}
        aria-label={`${nounOf(section)} ${name}`}
        aria-pressed={isSamePlace(props.shown, place)}
        data-card={`${section}-${index}`}
        data-off={off}
        onClick={() => props.onShow(place)}
      >
        {isRoute && canEdit && <IconGripVertical size={14} aria-hidden />}
        {isRoute && <span className={classes.order}>{index + 1}</span>}
        <b className={classes.name} title={name}>
          {name}
        </b>
        <span className={classes.about}>{itemText(section, item, warnings)}</span>
        {isRoute && (
          <span className={classes.path}>
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
          <span className={classes.drops}>{formatRate(traffic.drops)}/s dropped</span>
        )}
        {destination !== undefined && destination.queue_messages > 0 && (
          <span className={classes.queued} data-off={off}>
            {formatCount(destination.queue_messages)} {off ? 'kept' : 'queued'}
            {forecast !== '' && `, ${forecast}`}
          </span>
        )}
        {destination !== undefined && destination.quarantined > 0 && (
          <span className={classes.queued}>{formatCount(destination.quarantined)} refused</span>
        )}
        {off && !badges.includes('disabled') && <span className={classes.off}>off</span>}
        <Badges badges={badges} shown={2} />
        <span className="toEnd bold">{off ? '' : rateLabel(status, live)}</span>
      </button>
      {destination !== undefined && !off && isFailing(destination) && <Outage of={destination} />}
      {destination !== undefined && canEdit && (
        <div className={classes.actions}>
          <DestinationActions destination={destination} onOpen={props.onOpen} />
        </div>
      )}
    </>
  );
}

/** Since when it is down, and what waits. */
function Outage({ of }: { of: DestinationStatus }) {
  const [zone] = useZone();
  const parts = [
    `Down ${sinceText(of, zone)}`.trim(),
    `${formatBytes(of.queue_bytes)} of ${formatBytes(of.queue_bytes_max)} queued`,
    ...(of.oldest_ms == null ? [] : [`the oldest waits for ${formatLength(of.oldest_ms)}`]),
  ];
  return <p className={classes.outage}>{parts.join(' · ')}</p>;
}
