//! Lists of users and roles: frames of several entries, the last of which is `QUERY_END`, or the
//! error instead of a list.

use super::{Privilege, Reader, addresses, field, number, numbers, texts, utf8};
use crate::Malformed;
use crate::auth;
use crate::frame::{self, Kind};
use crate::result_code::ResultCode;

/// A user.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserRow {
    /// Its name.
    pub name: String,
    /// Its roles.
    pub roles: Vec<String>,
    /// Read statistics of the node that replied: the quota, commands per second, records of queries
    /// per second, queries without a limit; servers may report fewer or more of them.
    pub read_info: Vec<u32>,
    /// The same for writing.
    pub write_info: Vec<u32>,
    /// Its open connections to that node.
    pub connections: u32,
}

/// A role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoleRow {
    /// Its name.
    pub name: String,
    /// Its privileges.
    pub privileges: Vec<Privilege>,
    /// The addresses from which its users may connect; empty: all.
    pub allow: Vec<String>,
    /// Records that a user may read per second; 0: no limit.
    pub read_quota: u32,
    /// The same for writing.
    pub write_quota: u32,
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A user.
    User(UserRow),
    /// A role.
    Role(RoleRow),
}

/// One frame of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Its rows.
    pub rows: Vec<Row>,
    /// The end of the list: `QUERY_END`, or an error; `None`: another frame follows.
    pub end: Option<ResultCode>,
}

impl Page {
    /// Appends a whole frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let start = frame::begin(out, Kind::Admin);
        for row in &self.rows {
            row.encode(out);
        }
        if let Some(code) = self.end {
            auth::write_entry(out, code, 0, &[(0, []); 0]);
        }
        frame::finish(out, start);
    }

    /// Reads the body of a security frame.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let mut page = Self::default();
        let mut rest = body;
        while !rest.is_empty() {
            let (result, _, fields, used) = auth::read_entry(rest)?;
            if result != ResultCode::OK {
                page.end = Some(result);
                break;
            }
            rest = &rest[used..];
            page.rows.extend(Row::of(&fields)?);
        }
        Ok(page)
    }
}

impl Row {
    fn encode(&self, out: &mut Vec<u8>) {
        let mut fields: Vec<(u8, Vec<u8>)> = Vec::new();
        match self {
            Self::User(user) => {
                fields.push((auth::field::USER, user.name.clone().into()));
                fields.push((field::ROLES, texts(&user.roles)));
                fields.push((field::READ_INFO, numbers(&user.read_info)));
                fields.push((field::WRITE_INFO, numbers(&user.write_info)));
                fields.push((field::CONNECTIONS, user.connections.to_be_bytes().into()));
            }
            Self::Role(role) => {
                fields.push((field::ROLE, role.name.clone().into()));
                fields.push((field::PRIVILEGES, Privilege::write_all(&role.privileges)));
                if !role.allow.is_empty() {
                    fields.push((field::WHITELIST, role.allow.join(",").into()));
                }
                for (id, quota) in
                    [(field::READ_QUOTA, role.read_quota), (field::WRITE_QUOTA, role.write_quota)]
                {
                    if quota > 0 {
                        fields.push((id, quota.to_be_bytes().into()));
                    }
                }
            }
        }
        auth::write_entry(out, ResultCode::OK, 0, &fields);
    }

    /// The row of an entry, if it has one.
    fn of(fields: &[crate::message::Field<'_>]) -> Result<Option<Self>, Malformed> {
        let find = |id| auth::find(fields, id);
        let info = |id| find(id).map_or(Ok(Vec::new()), |data| Reader::list(data, Reader::number));
        let quota = |id| find(id).map_or(Ok(0), number);
        if let Some(name) = find(field::ROLE) {
            let privileges = find(field::PRIVILEGES);
            return Ok(Some(Self::Role(RoleRow {
                name: utf8(name)?,
                privileges: privileges.map_or(Ok(Vec::new()), Privilege::read_all)?,
                allow: find(field::WHITELIST).map_or(Ok(Vec::new()), addresses)?,
                read_quota: quota(field::READ_QUOTA)?,
                write_quota: quota(field::WRITE_QUOTA)?,
            })));
        }
        let Some(name) = find(auth::field::USER) else { return Ok(None) };
        let roles = find(field::ROLES);
        Ok(Some(Self::User(UserRow {
            name: utf8(name)?,
            roles: roles.map_or(Ok(Vec::new()), |data| Reader::list(data, Reader::text))?,
            read_info: info(field::READ_INFO)?,
            write_info: info(field::WRITE_INFO)?,
            connections: find(field::CONNECTIONS).map_or(Ok(0), number)?,
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::HEADER_LEN;
    use crate::manage::PrivilegeKind;

    fn rows() -> Vec<Row> {
        let privilege = Privilege {
            kind: PrivilegeKind::READ,
            namespace: "test".to_owned(),
            set: "s".to_owned(),
        };
        vec![
            Row::User(UserRow {
                name: "app".to_owned(),
                roles: vec!["read".to_owned(), "own".to_owned()],
                read_info: vec![0, 17, u32::MAX, 1],
                write_info: vec![9; 255],
                connections: 70_000,
            }),
            Row::User(UserRow::default()),
            Row::Role(RoleRow {
                name: "own".to_owned(),
                privileges: vec![privilege, Privilege::everywhere(PrivilegeKind::SYS_ADMIN)],
                allow: vec!["10.0.0.0/8".to_owned(), "::1".to_owned()],
                read_quota: 1,
                write_quota: u32::MAX,
            }),
            Row::Role(RoleRow { name: "empty".to_owned(), ..RoleRow::default() }),
        ]
    }

    #[test]
    fn pages_round_trip() {
        for end in [None, Some(ResultCode::QUERY_END), Some(ResultCode::ROLE_VIOLATION)] {
            for rows in [Vec::new(), rows()] {
                let page = Page { rows, end };
                let mut out = Vec::new();
                page.encode(&mut out);
                let (frame, used) = frame::split(&out).unwrap().unwrap();
                assert_eq!((frame.kind, used), (Kind::Admin, out.len()));
                assert_eq!(Page::parse(&out[HEADER_LEN..]), Ok(page));
            }
        }
    }

    #[test]
    fn entries_about_nothing_are_left_out() {
        let mut body = Vec::new();
        auth::write_entry(&mut body, ResultCode::OK, 0, &[(99, b"?")]);
        assert_eq!(Page::parse(&body), Ok(Page::default()));
    }

    #[test]
    #[cfg_attr(miri, ignore = "large, and slow there")]
    fn broken_bodies_are_rejected() {
        let page = Page { rows: rows(), end: Some(ResultCode::QUERY_END) };
        let mut out = Vec::new();
        page.encode(&mut out);
        let body = &out[HEADER_LEN..];
        let whole = (0..body.len()).filter(|cut| Page::parse(&body[..*cut]).is_ok()).count();
        // Between two entries.
        assert_eq!(whole, rows().len() + 1);
    }
}
