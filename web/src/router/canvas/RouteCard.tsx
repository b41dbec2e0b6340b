/** The card of a route: its place, its filter, its steps, and what they take out. */
import type { DocumentProblem } from '../../api/model';
import { formatRate } from '../../ui/number';
import { type Item, idOf, isOff, listOf, textOf } from '../document';
import { warningOfRoute } from '../problems';
import { aboutStep, kindOf, stepsOf } from '../steps/steps';
import { Badges, Trouble } from './Badges';
import { type CardData, rateText } from './cardData';
import classes from './Canvas.module.css';

type Props = CardData & { name: string; wrong: readonly DocumentProblem[] };

const STEPS_SHOWN = 4;

export function RouteCard(props: Props) {
  const { item, place, rate, drops, warnings, hasSteps, name, wrong, badges } = props;
  const filter = textOf(item['where']).trim();
  const isAll = filter === '' || filter === '*';
  const all = item['fallback'] === true ? 'everything no route took' : 'everything';
  const warning = warningOfRoute(warnings, idOf(item));
  const steps = stepsOf(item);
  return (
    <>
      <span className={classes.row}>
        <span className={classes.order}>{place.index + 1}</span>
        <b className={classes.name}>{name}</b>
        {isOff(item) && !badges.includes('disabled') && <span className={classes.tag}>off</span>}
        <Badges badges={badges} />
        <span className="rigid toEnd bold">{rateText(props, rate)}</span>
      </span>
      <span className={isAll ? classes.about : classes.filter}>{isAll ? all : filter}</span>
      {hasSteps && (
        <span className={classes.row}>
          {steps.slice(0, STEPS_SHOWN).map((step, at) => (
            <span
              key={at}
              className={classes.tag}
              data-new={props.newSteps.has(at)}
              title={`${kindOf(step)} ${aboutStep(step)}`}
            >
              {stepName(step)}
              {(drops[at] ?? 0) > 0 && (
                <span className="dimmed"> −{formatRate(drops[at] ?? 0)}/s</span>
              )}
            </span>
          ))}
          {steps.length > STEPS_SHOWN && <span className={classes.about}>…</span>}
          <span className={classes.about}>{remarks(item).join(' · ')}</span>
          <Trouble wrong={wrong} warning={warning} />
        </span>
      )}
    </>
  );
}

/** The share that the steps do not explain. */
function remarks(item: Item): string[] {
  const to = listOf(item['to']).length === 0 ? ['no target yet'] : [];
  const asReceived = stepsOf(item).length === 0 && to.length === 0 ? ['as received'] : [];
  return [...asReceived, ...to, ...(item['fallback'] === true ? ['fallback'] : [])];
}

/** `parse json`, `mask`: as short as it can be told from others. */
function stepName(step: Item): string {
  const kind = kindOf(step);
  return kind === 'parse' ? `parse ${textOf(step['parse'])}` : kind;
}
