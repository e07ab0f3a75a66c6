import { URLPattern as Pattern } from 'urlpattern-polyfill/urlpattern';
import { exposeInterface, type Interface } from './webidl.ts';

// The library declares it in terms of the DOM types that the guest does without.
export const URLPattern: Interface = exposeInterface('URLPattern', Pattern as Interface);
