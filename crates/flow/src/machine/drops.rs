//! The number of datagrams of a socket that the system dropped, by its own count. The system also reports it with the
//! next datagram, but after a flood none may come for hours.

use std::os::fd::AsFd;

/// The files in which the system lists the UDP sockets of IPv4 and of IPv6.
const LISTS: [&str; 2] = ["/proc/self/net/udp", "/proc/self/net/udp6"];
/// The columns of a list, counted from 0.
const INODE: usize = 9;
const DROPS: usize = 12;

/// The number of dropped datagrams since the socket was opened; `None` if the system does not report it.
pub fn of(socket: impl AsFd) -> Option<u32> {
    let inode = rustix::fs::fstat(socket).ok()?.st_ino.to_string();
    LISTS.iter().find_map(|list| in_list(&std::fs::read_to_string(list).ok()?, &inode))
}

fn in_list(list: &str, inode: &str) -> Option<u32> {
    list.lines().skip(1).find_map(|line| {
        let mut columns = line.split_ascii_whitespace().skip(INODE);
        (columns.next() == Some(inode)).then(|| columns.nth(DROPS - INODE - 1)?.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n  \
        901: 0100007F:0202 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 4711 2 0000000000000000 12\n  \
        902: 0100007F:0203 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 47 2 0000000000000000 4294967295\n";

    #[test]
    fn a_socket_is_found_by_its_inode() {
        assert_eq!(in_list(LIST, "4711"), Some(12));
        assert_eq!(in_list(LIST, "47"), Some(u32::MAX));
        assert_eq!(in_list(LIST, "12"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_did_not_fit_into_a_socket_is_counted_although_nothing_is_read() {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(of(&socket), Some(0));
        let address = socket.local_addr().unwrap();
        let sender = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let payload = vec![0; 60_000];
        for _ in 0..2000 {
            sender.send_to(&payload, address).unwrap();
        }
        assert!(of(&socket).is_some_and(|drops| 0 < drops));
    }
}
