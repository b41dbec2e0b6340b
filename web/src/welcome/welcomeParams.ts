/** The step of the set-up, kept in the address bar so that the set-up can be left and resumed. */

export type WelcomeStep = 'send' | 'look';

type Params = Record<string, string | undefined>;

export function readStep(params: Params): WelcomeStep {
  return params['step'] === 'look' ? 'look' : 'send';
}

export function writeStep(step: WelcomeStep): Record<string, string> {
  return step === 'send' ? {} : { step };
}
