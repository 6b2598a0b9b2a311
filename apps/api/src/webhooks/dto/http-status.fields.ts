import { MAX_HTTP_STATUS, statusClasses } from '@gatehouse/domain';
import { IntegerField, OneOfField, QueryIntegerField } from '../../http/input/fields.js';
import { STATUS_CLASSES_TEXT } from './metrics.fields.js';

/**
 * An HTTP status class in a filter.
 * @param subject noun phrase for the filtered status
 */
export const StatusClassField = (subject = 'HTTP status of the last attempt'): PropertyDecorator =>
  OneOfField(`Class of the ${subject}. ${STATUS_CLASSES_TEXT}`, statusClasses);

const exactStatus = (subject: string) => ({
  description: `${subject}. 0 means that no response was received`,
  min: 0,
  max: MAX_HTTP_STATUS,
});

/** An HTTP status in a query. Every recorded status is valid. */
export const QueryHttpStatusField = (subject = 'HTTP status of the last attempt'): PropertyDecorator =>
  QueryIntegerField(exactStatus(subject));

/** An HTTP status in a body. */
export const HttpStatusField = (): PropertyDecorator =>
  IntegerField({ ...exactStatus('HTTP status of the last attempt'), optional: true });
