/** Days as text, also those that a Date cannot have. */

import { LocalDate } from '../types/local-date.js'

/** Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
function daysOf(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const ofEra = shifted - era * 400
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return (
    era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468
  )
}

/** Year, month and day of days since 1970-01-01, as text. */
function textOf(days: number): string {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const years = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) /
      365,
  )
  const ofYear = ofEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100))
  const months = Math.floor((5 * ofYear + 2) / 153)
  const day = ofYear - Math.floor((153 * months + 2) / 5) + 1
  const month = months < 10 ? months + 3 : months - 9
  const year = years + era * 400 + (month <= 2 ? 1 : 0)
  return dayText(year, month, day)
}

/** A day as the native session takes it: a year beyond 0 to 9999 has a sign and six digits. */
function dayText(year: number, month: number, day: number): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const rest = `${two(month)}-${two(day)}`
  if (year >= 0 && year <= 9999) return `${String(year).padStart(4, '0')}-${rest}`
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}-${rest}`
}

/** A day that the server sent. */
export function localDateOfText(text: string): LocalDate {
  const match = /^([+-]?\d+)-(\d\d)-(\d\d)$/.exec(text)
  if (match === null) return LocalDate.fromString(text)
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  return new LocalDate(daysOf(year, month, day))
}

/** A day for the server. */
export function textOfLocalDate(date: LocalDate): string {
  return date._value === null ? dayText(date.year, date.month, date.day) : textOf(date._value)
}
