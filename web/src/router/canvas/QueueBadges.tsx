/** The messages that wait in front of each destination, on the wires that lead there. */
import { IconStack2 } from '@tabler/icons-react';
import type { RouterStatus } from '../../api/model';
import { formatMessages, formatShort } from '../../ui/number';
import { type RouterDocument, isOff } from '../document';
import { forecastFor, isFailing } from './cardData';
import { forecastText } from './forecast';
import type { Layout } from './layout';
import type { MeasuredRates } from './measure';
import classes from './Canvas.module.css';

type Props = {
  document: RouterDocument;
  layout: Layout;
  status: RouterStatus | undefined;
  measured: MeasuredRates | undefined;
};

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
