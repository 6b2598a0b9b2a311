import { createContext } from 'react';
import type { IconName } from './icon';

/** The open page's icon in the navigation. */
export const PageIconContext = createContext<IconName>('table');
