/** An action in a few words, for logs and explanations. */
import type { Action } from '../../core/model/actions.ts';

export function describeAction(action: Action): string {
  switch (action.kind) {
    case 'create-sandbox':
      return `create sandbox (attempt ${action.attempt})`;
    case 'start-container':
      return `start container ${action.container.name}`;
    case 'stop-containers':
      return `stop ${action.stops.map(({ name }) => name).join(', ')}`;
    case 'remove-container':
      return `remove container ${action.name}`;
    case 'pin-containers':
      return action.pins.map(({ name, cpus }) => `bind ${name} to CPUs ${cpus}`).join(', ');
    case 'resize-pod':
      return ['resize', ...action.resizes.map(({ container }) => container.name)].join(' ');
    case 'mount-volumes':
    case 'unmount-volumes':
    case 'release-claims':
    case 'stop-sandbox':
    case 'remove-sandbox':
    case 'release-pod':
      return action.kind.replace('-', ' ');
  }
}
