import { createContext } from 'react';
import type { IconName } from './icon';

/** The icon of the open page in the navigation. */
export const PageIconContext = createContext<IconName>('table');
