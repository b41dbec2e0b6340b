/** The filter of the senders, with the number of each kind. */
import { formatCount } from '../ui/number';
import { type SenderFilter, senderFilters } from './sendersParams';
import classes from './Senders.module.css';

const labels: Record<SenderFilter, string> = {
  all: 'All',
  silent: 'Silent',
  skewed: 'Skewed',
  unparsed: 'Unparsed',
  new: 'New',
};

type Props = {
  show: SenderFilter;
  counts: Record<SenderFilter, number>;
  onShow: (show: SenderFilter) => void;
};

export function ShowChoice({ show, counts, onShow }: Props) {
  return (
    <div className={classes.shows} role="group" aria-label="Which senders">
      {senderFilters.map((one) => (
        <button
          key={one}
          type="button"
          className={classes.show}
          data-trouble={one}
          aria-pressed={one === show}
          onClick={() => onShow(one)}
        >
          {labels[one]} <span className="meta regular dimmed">{formatCount(counts[one])}</span>
        </button>
      ))}
    </div>
  );
}
