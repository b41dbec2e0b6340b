/** The draft's changes to an item, and its problems. */
import { IconAlertTriangle, IconBulb, IconStack2 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { DocumentProblem, RouterStatus } from '../../api/model';
import { formatMessages, formatShort } from '../../ui/number';
import { type RouterDocument, isOff } from '../document';
import { forecastFor, isFailing } from './cardData';
import { forecastText } from './forecast';
import type { Layout } from './layout';
import type { MeasuredRates } from './measure';
import classes from './Canvas.module.css';

export function Badges({ badges, shown = 1 }: { badges: readonly string[]; shown?: number }) {
  const more = badges.length - shown;
  return (
    <>
      {badges.slice(0, shown).map((badge) => (
        <span
          key={badge}
          className="padX6 rigid meta bold accent chosen round4"
          title={badges.join(', ')}
        >
          {badge}
        </span>
      ))}
      {more > 0 && (
        <span className="padX6 rigid meta bold accent chosen round4" title={badges.join(', ')}>
          +{more}
        </span>
      )}
    </>
  );
}

export function Trouble(props: { wrong: readonly DocumentProblem[]; warning: string | undefined }) {
  const { wrong, warning } = props;
  if (wrong.length > 0) {
    const text = wrong.length === 1 ? '1 problem' : `${wrong.length} problems`;
    return (
      <Said tone="bad" title={wrong.map(({ message }) => message).join('\n')}>
        {text}
      </Said>
    );
  }
  return warning === undefined ? null : (
    <Said tone="caution" title={warning}>
      {warning}
    </Said>
  );
}

type SaidProps = { tone: 'bad' | 'caution'; title: string; children: ReactNode };

function Said({ tone, title, children }: SaidProps) {
  const Icon = tone === 'bad' ? IconAlertTriangle : IconBulb;
  return (
    <span className={classes.trouble} data-tone={tone} title={title}>
      <Icon size={14} aria-hidden /> <span className="truncate">{children}</span>
    </span>
  );
}

type Props = {
  document: RouterDocument;
  layout: Layout;
  status: RouterStatus | undefined;
  measured: MeasuredRates | undefined;
};

/** The messages that wait in front of each destination, on the wires that lead there. */
export function QueueBadges({ document, layout, status, measured }: Props) {
  return layout.targets.map((box) => {
    const one = status?.destinations.find(({ id }) => id === box.id);
    if (box.section !== 'destinations' || one === undefined || one.queue_messages === 0)
      return null;
    const forecast = forecastFor(one, measured);
    if (forecast.kind === 'empty') return null;
    const off = isOff(document.destinations[box.index] ?? {});
    return (
      <span
        key={box.id}
        className={classes.queueBadge}
        style={{ left: box.x - 10, top: box.y + 4 }}
        data-tone={off ? 'off' : isFailing(one) ? 'bad' : 'caution'}
        title={[`${formatMessages(one.queue_messages)} wait`, off ? '' : forecastText(forecast)]
          .filter((part) => part !== '')
          .join(', ')}
      >
        <IconStack2 size={13} aria-hidden /> {formatShort(one.queue_messages)}
      </span>
    );
  });
}
